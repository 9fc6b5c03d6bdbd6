"""The bot of the README."""

from dicebot import DiceBot as MyBot

__all__ = ["MyBot"]
