"""Star joins, instant by instant: what expires, who is kept, and what arrivals find."""
