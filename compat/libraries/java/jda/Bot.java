import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import net.dv8tion.jda.api.JDABuilder;
import net.dv8tion.jda.api.components.actionrow.ActionRow;
import net.dv8tion.jda.api.components.buttons.Button;
import net.dv8tion.jda.api.components.label.Label;
import net.dv8tion.jda.api.components.textinput.TextInput;
import net.dv8tion.jda.api.components.textinput.TextInputStyle;
import net.dv8tion.jda.api.entities.Role;
import net.dv8tion.jda.api.entities.emoji.Emoji;
import net.dv8tion.jda.api.events.interaction.ModalInteractionEvent;
import net.dv8tion.jda.api.events.interaction.command.CommandAutoCompleteInteractionEvent;
import net.dv8tion.jda.api.events.interaction.command.SlashCommandInteractionEvent;
import net.dv8tion.jda.api.events.interaction.component.ButtonInteractionEvent;
import net.dv8tion.jda.api.events.message.MessageReceivedEvent;
import net.dv8tion.jda.api.events.message.MessageUpdateEvent;
import net.dv8tion.jda.api.events.message.react.MessageReactionAddEvent;
import net.dv8tion.jda.api.events.role.update.RoleUpdateNameEvent;
import net.dv8tion.jda.api.events.session.ReadyEvent;
import net.dv8tion.jda.api.events.session.SessionResumeEvent;
import net.dv8tion.jda.api.hooks.ListenerAdapter;
import net.dv8tion.jda.api.interactions.commands.OptionType;
import net.dv8tion.jda.api.interactions.commands.build.Commands;
import net.dv8tion.jda.api.interactions.commands.build.OptionData;
import net.dv8tion.jda.api.modals.Modal;
import net.dv8tion.jda.api.requests.GatewayIntent;

/** A bot with JDA. The library has the address of the gateway in its code. */
public class Bot extends ListenerAdapter {
    private static final long CHANNEL = 1300000000000000310L;
    private final Set<String> seen = new ConcurrentSkipListSet<>();

    public static void main(String[] args) {
        JDABuilder.createLight(System.getenv("DISCORD_TOKEN"), GatewayIntent.GUILD_MESSAGES, GatewayIntent.GUILD_MESSAGE_REACTIONS)
                .addEventListeners(new Bot())
                .build();
    }

    @Override
    public void onReady(ReadyEvent event) {
        event.getJDA().updateCommands().addCommands(
                Commands.slash("ping", "Answer"),
                Commands.slash("find", "Suggest").addOptions(new OptionData(OptionType.STRING, "what", "What", true, true)),
                Commands.slash("form", "Ask back"),
                Commands.slash("write", "Write"),
                Commands.slash("role", "Change a role"),
                Commands.slash("seen", "List events")).queue();
    }

    @Override
    public void onSlashCommandInteraction(SlashCommandInteractionEvent event) {
        switch (event.getName()) {
            case "ping" -> event.reply("pong").addComponents(ActionRow.of(Button.primary("more", "More"))).queue();
            case "find" -> event.reply("chose " + event.getOption("what").getAsString()).queue();
            case "form" -> event.replyModal(Modal.create("form", "Form")
                    .addComponents(Label.of("Name", TextInput.create("name", TextInputStyle.SHORT).build())).build()).queue();
            case "write" -> event.getChannel().sendMessage("one")
                    .flatMap(m -> m.editMessage("two"))
                    .flatMap(m -> m.addReaction(Emoji.fromUnicode("👍")))
                    .flatMap(done -> event.reply("written")).queue();
            case "role" -> {
                Role role = event.getGuild().getRolesByName("guests", false).get(0);
                role.getManager().setName("regulars").flatMap(done -> event.reply("changed")).queue();
            }
            default -> event.reply(String.join(" ", seen)).queue();
        }
    }

    @Override
    public void onCommandAutoCompleteInteraction(CommandAutoCompleteInteractionEvent event) {
        String what = event.getFocusedOption().getValue();
        event.replyChoice("found " + what, what + "!").queue();
    }

    @Override
    public void onButtonInteraction(ButtonInteractionEvent event) {
        event.reply("more pong").queue();
    }

    @Override
    public void onModalInteraction(ModalInteractionEvent event) {
        event.reply("hello " + event.getValue("name").getAsString()).queue();
    }

    @Override
    public void onMessageReceived(MessageReceivedEvent event) {
        seen.add("MESSAGE_CREATE");
    }

    @Override
    public void onMessageUpdate(MessageUpdateEvent event) {
        seen.add("MESSAGE_UPDATE");
    }

    @Override
    public void onMessageReactionAdd(MessageReactionAddEvent event) {
        seen.add("MESSAGE_REACTION_ADD");
    }

    @Override
    public void onRoleUpdateName(RoleUpdateNameEvent event) {
        seen.add("GUILD_ROLE_UPDATE");
    }

    @Override
    public void onSessionResume(SessionResumeEvent event) {
        event.getJDA().getTextChannelById(CHANNEL).sendMessage("resumed").queue();
    }
}
