package snowflake_test

import (
	"fmt"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

func ExampleParse() {
	id, err := snowflake.Parse[snowflake.User]("175928847299117063")
	fmt.Println(id, err)
	_, err = snowflake.Parse[snowflake.User]("@ada")
	fmt.Println(err)
	// Output:
	// 175928847299117063 <nil>
	// not a snowflake
}

func ExampleID_Time() {
	id := snowflake.Message(175928847299117063)
	fmt.Println(id.Time().Format(time.RFC3339Nano))
	// Output: 2016-04-30T11:18:25.796Z
}
