"""Where rows come from: files, frames, databases and clusters, and the numbers drawn for each row."""
