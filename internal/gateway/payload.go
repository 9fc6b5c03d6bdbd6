package gateway

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// opcode says what a payload is.
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

// payload is what a client sends.
type payload struct {
	Op *opcode        `json:"op"`
	D  jsontext.Value `json:"d"`
}

// lenient reads what libraries send: names that come twice do no harm here.
var lenient = jsontext.AllowDuplicateNames(true)

func readPayload(text []byte) (payload, error) {
	var p payload
	if err := json.Unmarshal(text, &p, lenient); err != nil || p.Op == nil {
		return payload{}, errDecode
	}
	return p, nil
}

// read takes the data of a payload apart.
func (p *payload) read(into any) error {
	if len(p.D) == 0 || p.D.Kind() != '{' {
		return errDecode
	}
	if err := json.Unmarshal(p.D, into, lenient); err != nil {
		return errDecode
	}
	return nil
}

// What the service sends that is no event.
var (
	heartbeatACK   = []byte(`{"op":11,"d":null,"s":null,"t":null}`)
	reconnect      = []byte(`{"op":7,"d":null,"s":null,"t":null}`)
	invalidSession = []byte(`{"op":9,"d":false,"s":null,"t":null}`)
)

func hello(interval time.Duration) []byte {
	return []byte(`{"op":10,"d":{"heartbeat_interval":` + strconv.FormatInt(interval.Milliseconds(), 10) + `,"_trace":["bellhop"]},"s":null,"t":null}`)
}

// frame is an event as it is sent, but for its number and the brace behind it. It is shared by all who hear it: nobody
// changes it.
type frame []byte

// newFrame writes an event for whoever is to hear it.
func newFrame(name string, data []byte) frame {
	f := make(frame, 0, len(`{"op":0,"t":"","d":,"s":`)+len(name)+len(data))
	f = append(f, `{"op":0,"t":"`...)
	f = append(f, name...) // names are ours and need no escapes
	f = append(f, `","d":`...)
	f = append(f, data...)
	return append(f, `,"s":`...)
}

// tail appends what ends a frame.
func tail(b []byte, seq uint64) []byte { return append(strconv.AppendUint(b, seq, 10), '}') }

// newEvent writes an event from a value.
func newEvent(name string, value any) (frame, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return newFrame(name, data), nil
}
