//! A bot with twilight. It reaches Bellhop by the addresses in BELLHOP_URL and BELLHOP_GATEWAY_URL.

use std::collections::BTreeSet;
use std::error::Error;

use twilight_gateway::{ConfigBuilder, Event, EventTypeFlags, Intents, Shard, ShardId, StreamExt as _};
use twilight_http::Client;
use twilight_http::request::channel::reaction::RequestReactionType;
use twilight_model::application::command::{Command, CommandOptionChoice, CommandOptionChoiceValue, CommandType};
use twilight_model::application::interaction::application_command::{CommandData, CommandOptionValue};
use twilight_model::application::interaction::modal::{ModalInteractionComponent, ModalInteractionData};
use twilight_model::application::interaction::{Interaction, InteractionData, InteractionType};
use twilight_model::channel::message::Component;
use twilight_model::channel::message::component::{ActionRow, Button, ButtonStyle, TextInput, TextInputStyle};
use twilight_model::http::interaction::{InteractionResponse, InteractionResponseData, InteractionResponseType};
use twilight_model::id::Id;
use twilight_model::id::marker::{ApplicationMarker, ChannelMarker, GuildMarker};
use twilight_util::builder::command::{CommandBuilder, StringBuilder};
use twilight_util::builder::message::LabelBuilder;

const CHANNEL: Id<ChannelMarker> = Id::new(1300000000000000310);

type Failure = Box<dyn Error + Send + Sync>;

struct Bot {
    http: Client,
    application: Id<ApplicationMarker>,
    /// The names of the events that have arrived.
    seen: BTreeSet<&'static str>,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let token = std::env::var("DISCORD_TOKEN")?;
    let address = std::env::var("BELLHOP_URL")?.replace("http://", "");
    let http = Client::builder().token(token.clone()).proxy(address, true).build();
    let application = http.current_user_application().await?.model().await?.id;
    http.interaction(application).set_global_commands(&commands()).await?;

    let intents = Intents::GUILDS | Intents::GUILD_MESSAGES | Intents::GUILD_MESSAGE_REACTIONS;
    let config = ConfigBuilder::new(token, intents).proxy_url(std::env::var("BELLHOP_GATEWAY_URL")?).build();
    let mut shard = Shard::with_config(ShardId::ONE, config);
    let mut bot = Bot { http, application, seen: BTreeSet::new() };
    while let Some(event) = shard.next_event(EventTypeFlags::all()).await {
        match event {
            Ok(event) => bot.handle(event).await?,
            Err(reason) => eprintln!("the gateway: {reason}"),
        }
    }
    Ok(())
}

fn commands() -> Vec<Command> {
    let command = |name: &str, description: &str| CommandBuilder::new(name, description, CommandType::ChatInput);
    vec![
        command("ping", "Answer").build(),
        command("find", "Suggest").option(StringBuilder::new("what", "What").required(true).autocomplete(true)).build(),
        command("form", "Ask back").build(),
        command("write", "Write").build(),
        command("role", "Change a role").build(),
        command("seen", "List events").build(),
    ]
}

impl Bot {
    async fn handle(&mut self, event: Event) -> Result<(), Failure> {
        match event {
            Event::MessageCreate(_) => self.note("MESSAGE_CREATE"),
            Event::MessageUpdate(_) => self.note("MESSAGE_UPDATE"),
            Event::ReactionAdd(_) => self.note("MESSAGE_REACTION_ADD"),
            Event::RoleUpdate(_) => self.note("GUILD_ROLE_UPDATE"),
            Event::Resumed => {
                self.http.create_message(CHANNEL).content("resumed").await?;
            }
            Event::InteractionCreate(interaction) => self.answer(&interaction).await?,
            _ => {}
        }
        Ok(())
    }

    fn note(&mut self, name: &'static str) {
        self.seen.insert(name);
    }

    async fn answer(&self, interaction: &Interaction) -> Result<(), Failure> {
        let (kind, data) = match &interaction.data {
            Some(InteractionData::ApplicationCommand(command)) if interaction.kind == InteractionType::ApplicationCommandAutocomplete => {
                (InteractionResponseType::ApplicationCommandAutocompleteResult, suggestions(command))
            }
            Some(InteractionData::ApplicationCommand(command)) if command.name == "form" => (InteractionResponseType::Modal, form()),
            Some(InteractionData::ApplicationCommand(command)) => (InteractionResponseType::ChannelMessageWithSource, self.use_command(interaction.guild_id, command).await?),
            Some(InteractionData::MessageComponent(_)) => (InteractionResponseType::ChannelMessageWithSource, text("more pong")),
            Some(InteractionData::ModalSubmit(form)) => (InteractionResponseType::ChannelMessageWithSource, text(&format!("hello {}", name_in(form)))),
            _ => return Ok(()),
        };
        let response = InteractionResponse { kind, data: Some(data) };
        self.http.interaction(self.application).create_response(interaction.id, &interaction.token, &response).await?;
        Ok(())
    }

    async fn use_command(&self, guild: Option<Id<GuildMarker>>, command: &CommandData) -> Result<InteractionResponseData, Failure> {
        Ok(match command.name.as_str() {
            "ping" => InteractionResponseData { components: Some(vec![more()]), ..text("pong") },
            "find" => text(&format!("chose {}", what(command))),
            "write" => {
                let message = self.http.create_message(CHANNEL).content("one").await?.model().await?;
                self.http.update_message(CHANNEL, message.id).content(Some("two")).await?;
                self.http.create_reaction(CHANNEL, message.id, &RequestReactionType::Unicode { name: "👍" }).await?;
                text("written")
            }
            "role" => {
                let guild = guild.ok_or("no guild")?;
                let roles = self.http.roles(guild).await?.model().await?;
                for role in roles.iter().filter(|role| role.name == "guests") {
                    self.http.update_role(guild, role.id).name(Some("regulars")).await?;
                }
                text("changed")
            }
            _ => text(&self.seen.iter().copied().collect::<Vec<_>>().join(" ")),
        })
    }
}

fn text(content: &str) -> InteractionResponseData {
    InteractionResponseData { content: Some(content.into()), ..Default::default() }
}

/// Returns the value of the option of /find, also while it is typed.
fn what(command: &CommandData) -> &str {
    match command.options.first().map(|option| &option.value) {
        Some(CommandOptionValue::String(value) | CommandOptionValue::Focused(value, _)) => value,
        _ => "",
    }
}

fn suggestions(command: &CommandData) -> InteractionResponseData {
    let typed = what(command);
    let choice = CommandOptionChoice {
        name: format!("found {typed}"),
        name_localizations: None,
        value: CommandOptionChoiceValue::String(format!("{typed}!")),
    };
    InteractionResponseData { choices: Some(vec![choice]), ..Default::default() }
}

fn more() -> Component {
    let button = Button {
        custom_id: Some("more".into()),
        disabled: false,
        emoji: None,
        id: None,
        label: Some("More".into()),
        sku_id: None,
        style: ButtonStyle::Primary,
        url: None,
    };
    Component::ActionRow(ActionRow { id: None, components: vec![Component::Button(button)] })
}

fn form() -> InteractionResponseData {
    #[allow(deprecated)] // the field label
    let name = TextInput {
        custom_id: "name".into(),
        id: None,
        label: None,
        max_length: None,
        min_length: None,
        placeholder: None,
        required: None,
        style: TextInputStyle::Short,
        value: None,
    };
    let label = LabelBuilder::new("Name", Component::TextInput(name)).build();
    InteractionResponseData {
        custom_id: Some("form".into()),
        title: Some("Form".into()),
        components: Some(vec![Component::Label(label)]),
        ..Default::default()
    }
}

/// Returns the text of the form's only field.
fn name_in(form: &ModalInteractionData) -> &str {
    if let Some(ModalInteractionComponent::Label(label)) = form.components.first()
        && let ModalInteractionComponent::TextInput(name) = label.component.as_ref()
    {
        return &name.value;
    }
    ""
}
