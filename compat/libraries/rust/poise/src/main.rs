//! A bot with poise, on serenity. It reaches Bellhop by the base URL in BELLHOP_BASE_URL.

use std::collections::BTreeSet;
use std::sync::Mutex;

use poise::serenity_prelude as serenity;
use serenity::FullEvent;

const CHANNEL: serenity::ChannelId = serenity::ChannelId::new(1300000000000000310);

/// The names of the events that have arrived.
#[derive(Default)]
struct Data {
    seen: Mutex<BTreeSet<&'static str>>,
}

type Error = Box<dyn std::error::Error + Send + Sync>;
type Context<'a> = poise::ApplicationContext<'a, Data, Error>;

/// Answer
#[poise::command(slash_command)]
async fn ping(ctx: Context<'_>) -> Result<(), Error> {
    let more = serenity::CreateButton::new("more").label("More");
    let row = serenity::CreateActionRow::Buttons(vec![more]);
    ctx.send(poise::CreateReply::default().content("pong").components(vec![row])).await?;
    Ok(())
}

async fn suggest(_: Context<'_>, partial: &str) -> Vec<serenity::AutocompleteChoice> {
    vec![serenity::AutocompleteChoice::new(format!("found {partial}"), format!("{partial}!"))]
}

/// Suggest
#[poise::command(slash_command)]
async fn find(
    ctx: Context<'_>,
    #[description = "What"]
    #[autocomplete = "suggest"]
    what: String,
) -> Result<(), Error> {
    ctx.say(format!("chose {what}")).await?;
    Ok(())
}

/// Ask back
#[poise::command(slash_command)]
async fn form(ctx: Context<'_>) -> Result<(), Error> {
    let name = serenity::CreateInputText::new(serenity::InputTextStyle::Short, "Name", "name");
    let modal = serenity::CreateModal::new("form", "Form").components(vec![serenity::CreateActionRow::InputText(name)]);
    ctx.interaction.create_response(ctx.http(), serenity::CreateInteractionResponse::Modal(modal)).await?;
    Ok(())
}

/// Write
#[poise::command(slash_command)]
async fn write(ctx: Context<'_>) -> Result<(), Error> {
    let mut message = ctx.channel_id().say(ctx.http(), "one").await?;
    message.edit(ctx.http(), serenity::EditMessage::new().content("two")).await?;
    message.react(ctx.http(), '👍').await?;
    ctx.say("written").await?;
    Ok(())
}

/// Change a role
#[poise::command(slash_command)]
async fn role(ctx: Context<'_>) -> Result<(), Error> {
    let guild = ctx.guild_id().ok_or("no guild")?;
    for (id, role) in guild.roles(ctx.http()).await? {
        if role.name == "guests" {
            guild.edit_role(ctx.http(), id, serenity::EditRole::new().name("regulars")).await?;
        }
    }
    ctx.say("changed").await?;
    Ok(())
}

/// List events
#[poise::command(slash_command)]
async fn seen(ctx: Context<'_>) -> Result<(), Error> {
    let names = ctx.data().seen.lock().unwrap().iter().copied().collect::<Vec<_>>().join(" ");
    ctx.say(names).await?;
    Ok(())
}

/// Answers components and forms, and notes events.
async fn on_event(ctx: &serenity::Context, event: &FullEvent, data: &Data) -> Result<(), Error> {
    let name = match event {
        FullEvent::Message { .. } => "MESSAGE_CREATE",
        FullEvent::MessageUpdate { .. } => "MESSAGE_UPDATE",
        FullEvent::ReactionAdd { .. } => "MESSAGE_REACTION_ADD",
        FullEvent::GuildRoleUpdate { .. } => "GUILD_ROLE_UPDATE",
        FullEvent::Resume { .. } => {
            CHANNEL.say(&ctx.http, "resumed").await?;
            return Ok(());
        }
        FullEvent::InteractionCreate { interaction } => return answer(ctx, interaction).await,
        _ => return Ok(()),
    };
    data.seen.lock().unwrap().insert(name);
    Ok(())
}

async fn answer(ctx: &serenity::Context, interaction: &serenity::Interaction) -> Result<(), Error> {
    let reply = |text: String| {
        serenity::CreateInteractionResponse::Message(serenity::CreateInteractionResponseMessage::new().content(text))
    };
    if let Some(press) = interaction.as_message_component() {
        press.create_response(&ctx.http, reply("more pong".into())).await?;
    }
    if let Some(form) = interaction.as_modal_submit() {
        if let serenity::ActionRowComponent::InputText(name) = &form.data.components[0].components[0] {
            form.create_response(&ctx.http, reply(format!("hello {}", name.value.as_deref().unwrap_or_default()))).await?;
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let token = std::env::var("DISCORD_TOKEN")?;
    let origin = std::env::var("BELLHOP_URL")?;
    // The library ignores the address if its own rate limiter is on.
    let http = serenity::HttpBuilder::new(&token).proxy(origin).ratelimiter_disabled(true).build();
    let framework = poise::Framework::builder()
        .options(poise::FrameworkOptions {
            commands: vec![ping(), find(), form(), write(), role(), seen()],
            event_handler: |ctx, event, _, data| Box::pin(on_event(ctx, event, data)),
            ..Default::default()
        })
        .setup(|ctx, _, framework| {
            Box::pin(async move {
                poise::builtins::register_globally(ctx, &framework.options().commands).await?;
                Ok(Data::default())
            })
        })
        .build();
    let intents = serenity::GatewayIntents::GUILDS
        | serenity::GatewayIntents::GUILD_MESSAGES
        | serenity::GatewayIntents::GUILD_MESSAGE_REACTIONS;
    let mut client = serenity::ClientBuilder::new_with_http(http, intents).framework(framework).await?;
    client.start().await?;
    Ok(())
}
