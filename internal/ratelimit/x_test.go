package ratelimit_test
import ("testing";"os";"time";"fmt";"github.com/bellhop/bellhop/internal/ratelimit")
func TestX(t *testing.T){ d,_:=os.ReadFile("limits.yaml"); s:=time.Now(); ratelimit.Load("x",d); fmt.Println(time.Since(s)) }
