"""What pages run with in the browser: Python, the grammar of charts, the packed library."""
