"""A bot with hikari, written for Discord alone."""

import os

import hikari

CHANNEL = 1300000000000000310
seen = set()
intents = hikari.Intents.GUILDS | hikari.Intents.GUILD_MESSAGES | hikari.Intents.GUILD_MESSAGE_REACTIONS
bot = hikari.GatewayBot(os.environ["DISCORD_TOKEN"], intents=intents, banner=None)
reply = hikari.ResponseType.MESSAGE_CREATE


@bot.listen()
async def starting(event: hikari.StartingEvent) -> None:
    app = await bot.rest.fetch_application()
    commands = [bot.rest.slash_command_builder(name, about) for name, about in {
        "ping": "Answer", "find": "Suggest", "form": "Ask back", "write": "Write", "role": "Change a role", "seen": "List events",
    }.items()]
    commands[1].add_option(hikari.CommandOption(
        type=hikari.OptionType.STRING, name="what", description="What", is_required=True, autocomplete=True,
    ))
    await bot.rest.set_application_commands(app.id, commands)


async def use_command(interaction):
    name = interaction.command_name
    if name == "ping":
        row = bot.rest.build_message_action_row()
        row.add_interactive_button(hikari.ButtonStyle.PRIMARY, "more", label="More")
        await interaction.create_initial_response(reply, "pong", component=row)
    elif name == "find":
        await interaction.create_initial_response(reply, f"chose {interaction.options[0].value}")
    elif name == "form":
        row = bot.rest.build_modal_action_row().add_text_input("name", "Name")
        await interaction.create_modal_response("Form", "form", components=[row])
    elif name == "write":
        message = await bot.rest.create_message(interaction.channel_id, "one")
        await bot.rest.edit_message(interaction.channel_id, message, "two")
        await bot.rest.add_reaction(interaction.channel_id, message, "👍")
        await interaction.create_initial_response(reply, "written")
    elif name == "role":
        roles = await bot.rest.fetch_roles(interaction.guild_id)
        await bot.rest.edit_role(interaction.guild_id, next(r for r in roles if r.name == "guests"), name="regulars")
        await interaction.create_initial_response(reply, "changed")
    else:
        await interaction.create_initial_response(reply, " ".join(sorted(seen)))


@bot.listen()
async def interaction_created(event: hikari.InteractionCreateEvent) -> None:
    interaction = event.interaction
    if isinstance(interaction, hikari.AutocompleteInteraction):
        what = interaction.options[0].value
        await interaction.create_response([hikari.impl.AutocompleteChoiceBuilder(f"found {what}", f"{what}!")])
    elif isinstance(interaction, hikari.ComponentInteraction):
        await interaction.create_initial_response(reply, "more pong")
    elif isinstance(interaction, hikari.ModalInteraction):
        await interaction.create_initial_response(reply, f"hello {interaction.components[0][0].value}")
    else:
        await use_command(interaction)


@bot.listen()
async def message_created(event: hikari.MessageCreateEvent) -> None:
    seen.add("MESSAGE_CREATE")


@bot.listen()
async def message_updated(event: hikari.MessageUpdateEvent) -> None:
    seen.add("MESSAGE_UPDATE")


@bot.listen()
async def reaction_added(event: hikari.ReactionAddEvent) -> None:
    seen.add("MESSAGE_REACTION_ADD")


@bot.listen()
async def role_updated(event: hikari.RoleUpdateEvent) -> None:
    seen.add("GUILD_ROLE_UPDATE")


@bot.listen()
async def resumed(event: hikari.ShardResumedEvent) -> None:
    await bot.rest.create_message(CHANNEL, "resumed")


bot.run(check_for_updates=False)
