import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.javacord.api.DiscordApi;
import org.javacord.api.DiscordApiBuilder;
import org.javacord.api.entity.intent.Intent;
import org.javacord.api.entity.message.component.ActionRow;
import org.javacord.api.entity.message.component.Button;
import org.javacord.api.entity.message.component.TextInput;
import org.javacord.api.entity.message.component.TextInputStyle;
import org.javacord.api.entity.permission.Role;
import org.javacord.api.interaction.SlashCommand;
import org.javacord.api.interaction.SlashCommandInteraction;
import org.javacord.api.interaction.SlashCommandOption;
import org.javacord.api.interaction.SlashCommandOptionChoice;

/** A bot with Javacord, written for Discord alone. */
public class Bot {
    private static final long CHANNEL = 1300000000000000310L;
    private static final Set<String> seen = new ConcurrentSkipListSet<>();

    public static void main(String[] args) {
        DiscordApi api = new DiscordApiBuilder().setToken(System.getenv("DISCORD_TOKEN"))
                .setIntents(Intent.GUILDS, Intent.GUILD_MESSAGES, Intent.GUILD_MESSAGE_REACTIONS).login().join();
        api.addSlashCommandCreateListener(event -> use(event.getSlashCommandInteraction()));
        api.addAutocompleteCreateListener(event -> {
            String what = event.getAutocompleteInteraction().getFocusedOption().getStringValue().orElse("");
            event.getAutocompleteInteraction().respondWithChoices(List.of(SlashCommandOptionChoice.create("found " + what, what + "!")));
        });
        api.addMessageComponentCreateListener(event ->
                event.getMessageComponentInteraction().createImmediateResponder().setContent("more pong").respond());
        api.addModalSubmitListener(event -> event.getModalInteraction().createImmediateResponder()
                .setContent("hello " + event.getModalInteraction().getTextInputValueByCustomId("name").orElse("")).respond());
        api.addMessageCreateListener(event -> seen.add("MESSAGE_CREATE"));
        api.addMessageEditListener(event -> seen.add("MESSAGE_UPDATE"));
        api.addReactionAddListener(event -> seen.add("MESSAGE_REACTION_ADD"));
        api.addRoleChangeNameListener(event -> seen.add("GUILD_ROLE_UPDATE"));
        api.addResumeListener(event -> api.getTextChannelById(CHANNEL).orElseThrow().sendMessage("resumed"));
        SlashCommand.with("ping", "Answer").createGlobal(api).join();
        SlashCommand.with("find", "Suggest", List.of(
                SlashCommandOption.createStringOption("what", "What", true, true))).createGlobal(api).join();
        SlashCommand.with("form", "Ask back").createGlobal(api).join();
        SlashCommand.with("write", "Write").createGlobal(api).join();
        SlashCommand.with("role", "Change a role").createGlobal(api).join();
        SlashCommand.with("seen", "List events").createGlobal(api).join();
    }

    private static void use(SlashCommandInteraction in) {
        switch (in.getCommandName()) {
            case "ping" -> in.createImmediateResponder().setContent("pong").addComponents(ActionRow.of(Button.primary("more", "More"))).respond();
            case "find" -> in.createImmediateResponder().setContent("chose " + in.getArgumentStringValueByName("what").orElse("")).respond();
            case "form" -> in.respondWithModal("form", "Form", ActionRow.of(TextInput.create(TextInputStyle.SHORT, "name", "Name")));
            case "write" -> in.getChannel().orElseThrow().sendMessage("one")
                    .thenCompose(m -> m.edit("two"))
                    .thenCompose(m -> m.addReaction("👍"))
                    .thenCompose(done -> in.createImmediateResponder().setContent("written").respond());
            case "role" -> {
                Role role = in.getServer().orElseThrow().getRolesByName("guests").get(0);
                role.updateName("regulars").thenCompose(done -> in.createImmediateResponder().setContent("changed").respond());
            }
            default -> in.createImmediateResponder().setContent(String.join(" ", seen)).respond();
        }
    }
}
