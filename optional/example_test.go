package optional_test

import (
	"encoding/json"
	"fmt"

	"github.com/bellhop/bellhop/optional"
)

func Example() {
	type patch struct {
		Name  optional.Value[string] `json:"name,omitzero"`
		Topic optional.Value[string] `json:"topic,omitzero"`
		Limit optional.Value[int]    `json:"limit,omitzero"`
	}
	var p patch
	if err := json.Unmarshal([]byte(`{"name":"general","topic":null}`), &p); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("name: %q\n", p.Name.Or("lobby"))
	fmt.Printf("topic: %q\n", p.Topic.Or("old topic"))
	fmt.Printf("limit: %d\n", p.Limit.Or(25))
	// Output:
	// name: "general"
	// topic: ""
	// limit: 25
}

func ExampleValue_Get() {
	for _, v := range []optional.Value[int]{optional.Of(3), optional.Null[int](), {}} {
		n, ok := v.Get()
		fmt.Println(n, ok, v.IsNull(), v.IsZero())
	}
	// Output:
	// 3 true false false
	// 0 false true false
	// 0 false false true
}
