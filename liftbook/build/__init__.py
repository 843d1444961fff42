"""The build: execute the chapters, lay out the pages, write the notebooks."""
