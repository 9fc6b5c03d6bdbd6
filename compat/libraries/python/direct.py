"""Runs a bot of this folder without the redirection of "bellhop run": sets the address of Bellhop in its library first."""

import functools
import os
import runpy
import sys

origin = os.environ["BELLHOP_URL"]
name = sys.argv[1]

if name == "discordpy":
    import discord
    import yarl

    discord.http.Route.BASE = f"{origin}/api/v10"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(origin.replace("http", "ws", 1) + "/gateway/")
elif name == "pycord":
    import discord

    discord.http.Route.API_BASE_URL = f"{origin}/api/v10"
elif name == "nextcord":
    import nextcord

    nextcord.http.Route.BASE = f"{origin}/api/v10"
elif name == "disnake":
    import disnake

    disnake.http.Route.BASE = f"{origin}/api/v10"
elif name == "hikari":
    import hikari

    hikari.GatewayBot = functools.partial(hikari.GatewayBot, rest_url=f"{origin}/api/v10")
elif name == "interactions":
    from interactions.api.http.route import Route

    Route.BASE = f"{origin}/api/v10"

runpy.run_path(f"python/{name}_bot.py", run_name="__main__")
