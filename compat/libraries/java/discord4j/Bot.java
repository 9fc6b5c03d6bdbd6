import discord4j.common.ReactorResources;
import discord4j.common.util.Snowflake;
import discord4j.core.DiscordClientBuilder;
import discord4j.core.GatewayDiscordClient;
import discord4j.core.event.domain.interaction.ButtonInteractionEvent;
import discord4j.core.event.domain.interaction.ChatInputAutoCompleteEvent;
import discord4j.core.event.domain.interaction.ChatInputInteractionEvent;
import discord4j.core.event.domain.interaction.ModalSubmitInteractionEvent;
import discord4j.core.event.domain.lifecycle.ResumeEvent;
import discord4j.core.event.domain.message.MessageCreateEvent;
import discord4j.core.event.domain.message.MessageUpdateEvent;
import discord4j.core.event.domain.message.ReactionAddEvent;
import discord4j.core.event.domain.role.RoleUpdateEvent;
import discord4j.core.object.command.ApplicationCommandInteractionOption;
import discord4j.core.object.command.ApplicationCommandInteractionOptionValue;
import discord4j.core.object.component.ActionRow;
import discord4j.core.object.component.Button;
import discord4j.core.object.component.TextInput;
import discord4j.core.object.emoji.Emoji;
import discord4j.core.spec.RoleEditSpec;
import discord4j.discordjson.json.ApplicationCommandOptionChoiceData;
import discord4j.discordjson.json.ApplicationCommandOptionData;
import discord4j.discordjson.json.ApplicationCommandRequest;
import discord4j.gateway.intent.Intent;
import discord4j.gateway.intent.IntentSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A bot with Discord4J. The library uses the proxy of the JVM only if a bot asks for it. */
public class Bot {
    private static final Snowflake CHANNEL = Snowflake.of(1300000000000000310L);
    private static final Set<String> seen = new ConcurrentSkipListSet<>();

    public static void main(String[] args) {
        ReactorResources resources = ReactorResources.builder()
                .httpClient(ReactorResources.DEFAULT_HTTP_CLIENT.get().proxyWithSystemProperties()).build();
        DiscordClientBuilder.create(System.getenv("DISCORD_TOKEN")).setReactorResources(resources).build().gateway()
                .setEnabledIntents(IntentSet.of(Intent.GUILDS, Intent.GUILD_MESSAGES, Intent.GUILD_MESSAGE_REACTIONS))
                .withGateway(Bot::run).block();
    }

    private static Mono<Void> run(GatewayDiscordClient client) {
        Mono<Void> register = client.getRestClient().getApplicationId().flatMapMany(id ->
                client.getRestClient().getApplicationService().bulkOverwriteGlobalApplicationCommand(id, commands())).then();
        return Mono.when(
                client.on(ChatInputInteractionEvent.class, Bot::use),
                client.on(ChatInputAutoCompleteEvent.class, event -> {
                    String what = event.getFocusedOption().getValue().map(ApplicationCommandInteractionOptionValue::asString).orElse("");
                    return event.respondWithSuggestions(List.of(
                            ApplicationCommandOptionChoiceData.builder().name("found " + what).value(what + "!").build()));
                }),
                client.on(ButtonInteractionEvent.class, event -> event.reply("more pong")),
                client.on(ModalSubmitInteractionEvent.class, event ->
                        event.reply("hello " + event.getComponents(TextInput.class).get(0).getValue().orElse(""))),
                note(client.on(MessageCreateEvent.class), "MESSAGE_CREATE"),
                note(client.on(MessageUpdateEvent.class), "MESSAGE_UPDATE"),
                note(client.on(ReactionAddEvent.class), "MESSAGE_REACTION_ADD"),
                note(client.on(RoleUpdateEvent.class), "GUILD_ROLE_UPDATE"),
                client.on(ResumeEvent.class, event -> client.rest().getChannelById(CHANNEL).createMessage("resumed")),
                register);
    }

    private static Mono<Void> note(Flux<?> events, String name) {
        return events.doOnNext(event -> seen.add(name)).then();
    }

    private static List<ApplicationCommandRequest> commands() {
        return List.of(
                ApplicationCommandRequest.builder().name("ping").description("Answer").build(),
                ApplicationCommandRequest.builder().name("find").description("Suggest").addOption(ApplicationCommandOptionData.builder()
                        .type(3).name("what").description("What").required(true).autocomplete(true).build()).build(),
                ApplicationCommandRequest.builder().name("form").description("Ask back").build(),
                ApplicationCommandRequest.builder().name("write").description("Write").build(),
                ApplicationCommandRequest.builder().name("role").description("Change a role").build(),
                ApplicationCommandRequest.builder().name("seen").description("List events").build());
    }

    private static Mono<Void> use(ChatInputInteractionEvent event) {
        return switch (event.getCommandName()) {
            case "ping" -> event.reply("pong").withComponents(ActionRow.of(Button.primary("more", "More")));
            case "find" -> event.reply("chose " + event.getOption("what").flatMap(ApplicationCommandInteractionOption::getValue)
                    .map(ApplicationCommandInteractionOptionValue::asString).orElse(""));
            case "form" -> event.presentModal("Form", "form", List.of(ActionRow.of(TextInput.small("name", "Name"))));
            case "write" -> event.getInteraction().getChannel()
                    .flatMap(channel -> channel.createMessage("one"))
                    .flatMap(message -> message.edit().withContentOrNull("two"))
                    .flatMap(message -> message.addReaction(Emoji.unicode("👍")).then(event.reply("written")));
            case "role" -> event.getInteraction().getGuild().flatMapMany(guild -> guild.getRoles())
                    .filter(role -> role.getName().equals("guests")).next()
                    .flatMap(role -> role.edit(RoleEditSpec.builder().name("regulars").build()))
                    .flatMap(role -> event.reply("changed"));
            default -> event.reply(String.join(" ", seen));
        };
    }
}
