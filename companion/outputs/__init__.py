"""How a page shows a cell's outputs: figures, tables and numbers."""
