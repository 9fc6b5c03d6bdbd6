package gateway

import (
	"encoding"
	"errors"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// opcode is the opcode of a payload.
type opcode int

const (
	opDispatch       opcode = 0
	opHeartbeat      opcode = 1
	opIdentify       opcode = 2
	opPresence       opcode = 3
	opVoiceState     opcode = 4
	opResume         opcode = 6
	opReconnect      opcode = 7
	opRequestMembers opcode = 8
	opInvalidSession opcode = 9
	opHello          opcode = 10
	opHeartbeatACK   opcode = 11
	opLobbyVoice     opcode = 17
	opSoundboard     opcode = 31
	opQoSHeartbeat   opcode = 40
	opTimeSpent      opcode = 41
	opLobbyVoiceAsk  opcode = 42
	opChannelInfo    opcode = 43
)

// payload is a payload of a client.
type payload struct {
	Op *opcode        `json:"op"`
	D  jsontext.Value `json:"d"`
}

// lenient allows duplicate names, ids that are numbers, and sets of bits that are text. Some libraries send them.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true),
	json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFromFunc(readNumber), json.UnmarshalFromFunc(readText))))

// readNumber reads an id that is a number instead of text.
func readNumber(d *jsontext.Decoder, id encoding.TextUnmarshaler) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	number, err := d.ReadToken()
	if err != nil {
		return err
	}
	return id.UnmarshalText([]byte(number.String()))
}

// readText reads a set of bits that is text instead of a number.
func readText(d *jsontext.Decoder, bits *uint64) error {
	if d.PeekKind() != '"' {
		return errors.ErrUnsupported
	}
	text, err := d.ReadToken()
	if err != nil {
		return err
	}
	*bits, err = strconv.ParseUint(text.String(), 10, 64)
	return err
}

func readPayload(text []byte) (payload, error) {
	var p payload
	if err := json.Unmarshal(text, &p, lenient); err != nil || p.Op == nil {
		return payload{}, socket.ErrDecode
	}
	return p, nil
}

// read parses the data of a payload.
func (p *payload) read(into any) error {
	if len(p.D) == 0 || p.D.Kind() != '{' {
		return socket.ErrDecode
	}
	if err := json.Unmarshal(p.D, into, lenient); err != nil {
		return socket.ErrDecode
	}
	return nil
}

// Frames that are not events.
var (
	heartbeatACK   = []byte(`{"op":11,"d":null,"s":null,"t":null}`)
	reconnect      = []byte(`{"op":7,"d":null,"s":null,"t":null}`)
	invalidSession = []byte(`{"op":9,"d":false,"s":null,"t":null}`)
)

func hello(interval time.Duration) []byte {
	return []byte(`{"op":10,"d":{"heartbeat_interval":` + strconv.FormatInt(interval.Milliseconds(), 10) + `,"_trace":["bellhop"]},"s":null,"t":null}`)
}
