package rules_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/rules"
)

func TestStringify(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		`{"b":1,"10":2,"9":3,"a":4,"4294967295":5,"4294967294":6}`: `{"9":3,"10":2,"4294967294":6,"b":1,"a":4,"4294967295":5}`,
		`{"a":1,"b":2,"a":3}`:                            `{"a":3,"b":2}`,
		`[-0,1.0,1e21,1e20,1e-7,0.000001]`:               `[0,1,1e+21,100000000000000000000,1e-7,0.000001]`,
		`[9007199254740993,1e400,123456789012345680000]`: `[9007199254740992,null,123456789012345680000]`,
		`"\u003c\u2028\u001f\u007f\/"`:                   "\"<\u2028\\u001f\u007f/\"",
		` [ true , null ] `:                              `[true,null]`,
	} {
		if got := rules.Stringify(t, []byte(give)); got != want {
			t.Errorf("Stringify(%s) = %s, want %s", give, got, want)
		}
	}
}
