"""What a page shows of a cell's outputs: figures with their panels, tables that can be read, short numbers."""
