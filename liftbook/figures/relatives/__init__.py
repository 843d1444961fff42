"""Lift's relatives: which notion implies which, closed forms of others, the privacy funnel, the bench."""
