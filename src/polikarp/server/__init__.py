"""Tables, seats, clocks, sockets and identity: everything between the rules and the page. Knows no rule of any game."""
