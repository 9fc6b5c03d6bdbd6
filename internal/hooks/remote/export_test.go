package remote

import "github.com/bellhop/bellhop/internal/hooks"

// ApplyAnswer makes an answer the result of a call.
func ApplyAnswer(data []byte, c *hooks.Call) error {
	a, err := readAnswer(data)
	if err != nil {
		return err
	}
	return a.apply(c)
}
