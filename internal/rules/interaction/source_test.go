package interaction_test

import (
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
)

// TestSource tests the rows "type" and "message_reference" in section 10 of the specification.
func TestSource(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rule string
		give       interaction.Source
		kind       message.Type
		reference  snowflake.Message
	}{
		{"slash command", "10 type", interaction.Source{Command: command.ChatInput}, 20, 0},
		{"entry point", "10 type", interaction.Source{Command: command.PrimaryEntryPoint}, 20, 0},
		{"USER command", "10 type", interaction.Source{Command: command.User}, 23, 0},
		{"MESSAGE command", "10 message_reference", interaction.Source{Command: command.Message, Target: 5}, 23, 5},
		{"component answer", "10 message_reference", interaction.Source{Component: 6}, 19, 6},
		{"modal opened by a command", "10 type", interaction.Source{Command: command.ChatInput}, 20, 0},
		{"modal opened by a component", "10 type", interaction.Source{Component: 6}, 19, 6},
		{"follow-up", "10 message_reference", interaction.Source{Command: command.ChatInput, Original: 7}, 19, 7},
		{"follow-up to a MESSAGE command", "10 message_reference", interaction.Source{Command: command.Message, Target: 5, Original: 7}, 19, 7},
		{"follow-up to a component answer", "10 message_reference", interaction.Source{Component: 6, Original: 7}, 19, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if kind, ref := tt.give.Type(), tt.give.Reference(); kind != tt.kind || ref != tt.reference {
				t.Errorf("%s: type %d, reference %d, want %d, %d", tt.rule, kind, ref, tt.kind, tt.reference)
			}
		})
	}
}
