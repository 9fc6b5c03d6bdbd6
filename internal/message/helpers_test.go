package message_test

import (
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/rulestest"
	"github.com/bellhop/bellhop/internal/wire"
)

type codes = rulestest.Codes

// Short names for the helpers of package rulestest.
var (
	parse    = rulestest.Parse
	findings = rulestest.Findings
	wantJS   = rulestest.WantJS
	chars    = rulestest.Chars
	repeat   = rulestest.Repeat
)

// uploads are the files of a request.
var uploads = []message.File{
	{Index: 0, Attachment: wire.Attachment{ID: 900, Filename: "Cat.PNG", ContentType: "image/png", Size: 10, URL: "http://cdn/cat", Width: 4, Height: 3}},
	{Index: 7, Attachment: wire.Attachment{ID: 907, Filename: "notes.txt", Size: message.AttachmentSizeLimit}},
}
