package message_test

import (
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/internal/rulestest"
)

type codes = rulestest.Codes

// What every test here says.
var (
	parse    = rulestest.Parse
	findings = rulestest.Findings
	wantJS   = rulestest.WantJS
	chars    = rulestest.Chars
	repeat   = rulestest.Repeat
)

// uploads are files of a request.
var uploads = []message.File{
	{Index: 0, Attachment: payload.Attachment{ID: 900, Filename: "Cat.PNG", Size: 10, URL: "http://cdn/cat"}},
	{Index: 7, Attachment: payload.Attachment{ID: 907, Filename: "notes.txt", Size: message.AttachmentSizeLimit}},
}
