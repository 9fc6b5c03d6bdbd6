package gateway

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// heartbeat takes a heartbeat whose data is the number of the last event that the client has heard, or null.
func (k *socket) heartbeat(ctx context.Context, d jsontext.Value) error {
	var seq *uint64
	if len(d) > 0 {
		if err := json.Unmarshal(d, &seq); err != nil {
			return errDecode
		}
	}
	return k.beat(ctx, seq)
}

func (k *socket) beat(ctx context.Context, seq *uint64) error {
	s := k.session.Load()
	if s != nil {
		if seq != nil && !s.heardUpTo(*seq) {
			return errSequence
		}
		holds, err := k.gateway.Tokens.Holds(ctx, s.token)
		if err != nil {
			return err
		}
		if !holds {
			return errToken
		}
		k.heard(k.gateway.patience())
	}
	k.say(heartbeatACK)
	return nil
}
