import dev.kord.common.entity.ButtonStyle
import dev.kord.common.entity.Snowflake
import dev.kord.common.entity.TextInputStyle
import dev.kord.core.Kord
import dev.kord.core.behavior.channel.createMessage
import dev.kord.core.behavior.edit
import dev.kord.core.behavior.interaction.modal
import dev.kord.core.behavior.interaction.respondPublic
import dev.kord.core.behavior.interaction.suggestString
import dev.kord.core.entity.ReactionEmoji
import dev.kord.core.entity.channel.TextChannel
import dev.kord.core.event.gateway.ResumedEvent
import dev.kord.core.event.interaction.AutoCompleteInteractionCreateEvent
import dev.kord.core.event.interaction.ButtonInteractionCreateEvent
import dev.kord.core.event.interaction.GuildChatInputCommandInteractionCreateEvent
import dev.kord.core.event.interaction.ModalSubmitInteractionCreateEvent
import dev.kord.core.event.message.MessageCreateEvent
import dev.kord.core.event.message.MessageUpdateEvent
import dev.kord.core.event.message.ReactionAddEvent
import dev.kord.core.event.role.RoleUpdateEvent
import dev.kord.core.on
import dev.kord.gateway.Intent
import dev.kord.gateway.Intents
import dev.kord.rest.builder.interaction.input
import dev.kord.rest.builder.interaction.string
import dev.kord.rest.builder.message.actionRow
import java.util.concurrent.ConcurrentSkipListSet
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.first

/** A bot with Kord, written for Discord alone. */
private val CHANNEL = Snowflake(1300000000000000310u)
private val seen = ConcurrentSkipListSet<String>()

suspend fun main() {
    val kord = Kord(System.getenv("DISCORD_TOKEN"))
    kord.on<GuildChatInputCommandInteractionCreateEvent> { use(this) }
    kord.on<AutoCompleteInteractionCreateEvent> {
        val what = interaction.focusedOption.value
        interaction.suggestString { choice("found $what", "$what!") }
    }
    kord.on<ButtonInteractionCreateEvent> { interaction.respondPublic { content = "more pong" } }
    kord.on<ModalSubmitInteractionCreateEvent> {
        interaction.respondPublic { content = "hello ${interaction.textInputs["name"]?.value}" }
    }
    kord.on<MessageCreateEvent> { seen.add("MESSAGE_CREATE") }
    kord.on<MessageUpdateEvent> { seen.add("MESSAGE_UPDATE") }
    kord.on<ReactionAddEvent> { seen.add("MESSAGE_REACTION_ADD") }
    kord.on<RoleUpdateEvent> { seen.add("GUILD_ROLE_UPDATE") }
    kord.on<ResumedEvent> { kord.getChannelOf<TextChannel>(CHANNEL)?.createMessage("resumed") }
    kord.createGlobalApplicationCommands {
        input("ping", "Answer")
        input("find", "Suggest") {
            string("what", "What") {
                required = true
                autocomplete = true
            }
        }
        input("form", "Ask back")
        input("write", "Write")
        input("role", "Change a role")
        input("seen", "List events")
    }.collect {}
    kord.login { intents = Intents(Intent.Guilds, Intent.GuildMessages, Intent.GuildMessageReactions) }
}

private suspend fun use(event: GuildChatInputCommandInteractionCreateEvent) {
    val interaction = event.interaction
    when (interaction.command.rootName) {
        "ping" -> interaction.respondPublic {
            content = "pong"
            actionRow { interactionButton(ButtonStyle.Primary, "more") { label = "More" } }
        }
        "find" -> interaction.respondPublic { content = "chose ${interaction.command.strings["what"]}" }
        "form" -> interaction.modal("Form", "form") { actionRow { textInput(TextInputStyle.Short, "name", "Name") } }
        "write" -> {
            val message = interaction.channel.createMessage("one").edit { content = "two" }
            message.addReaction(ReactionEmoji.Unicode("👍"))
            interaction.respondPublic { content = "written" }
        }
        "role" -> {
            interaction.guild.roles.first { it.name == "guests" }.edit { name = "regulars" }
            interaction.respondPublic { content = "changed" }
        }
        else -> interaction.respondPublic { content = seen.joinToString(" ") }
    }
}
