"""Receivers that a delivery server must survive, each with the outcome that it must end in."""
