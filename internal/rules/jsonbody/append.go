package jsonbody

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendString appends s as a JSON string. It escapes only the characters that JSON requires to be escaped, and
// replaces invalid UTF-8 by U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error reports invalid UTF-8
	return dst
}

// AppendNumber appends a finite number in the form that JavaScript gives it.
func AppendNumber(dst []byte, f float64) []byte {
	size := math.Abs(f)
	if size == 0 {
		return append(dst, '0') // also for -0
	}
	if size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' { // Go writes 1e-07, JavaScript 1e-7
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
