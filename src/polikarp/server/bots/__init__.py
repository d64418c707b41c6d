"""Where bots think: processes beside the server, and whose turn it is."""
