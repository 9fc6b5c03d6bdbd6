package jsonbody_test

import (
	"math"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

func TestAppendNumber(t *testing.T) {
	t.Parallel()
	for want, give := range map[string]float64{
		"0": math.Copysign(0, -1), "-1.5": -1.5, "100000000000000000000": 1e20, "1e+21": 1e21, "0.000001": 1e-6, "1e-7": 1e-7,
		"1.5e-10": 1.5e-10, "1.7976931348623157e+308": math.MaxFloat64,
	} {
		if got := string(jsonbody.AppendNumber([]byte("x"), give)); got != "x"+want {
			t.Errorf("AppendNumber(%v) = %s, want x%s", give, got, want)
		}
	}
}

func TestAppendString(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{"a\"\\/<\u2028": "\"a\\\"\\\\/<\u2028\"", "\x01\n": `"\u0001\n"`, "\xff": "\"\ufffd\""} {
		if got := string(jsonbody.AppendString(nil, give)); got != want {
			t.Errorf("AppendString(%q) = %s, want %s", give, got, want)
		}
	}
}
