"""Designs and audits, judged by the distribution that the rows came from."""
