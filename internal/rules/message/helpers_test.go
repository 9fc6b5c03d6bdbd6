package message_test

import (
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/testkit/rules"
)

type codes = rules.Codes

// Short names for the helpers of package testkit/rules.
var (
	parse    = rules.Parse
	findings = rules.Findings
	wantJS   = rules.WantJS
	chars    = rules.Chars
	repeat   = rules.Repeat
)

// uploads are the files of a request.
var uploads = []message.File{
	{Index: 0, Attachment: wire.Attachment{ID: 900, Filename: "Cat.PNG", ContentType: "image/png", Size: 10, URL: "http://cdn/cat", Width: 4, Height: 3}},
	{Index: 7, Attachment: wire.Attachment{ID: 907, Filename: "notes.txt", Size: message.AttachmentSizeLimit}},
}
