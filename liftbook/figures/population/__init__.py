"""What designs and audits of a table are worth for the distribution that its rows were drawn from."""
