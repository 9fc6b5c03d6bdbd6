package message

import (
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
)

// File is an uploaded file of a request. Its attachment already has the id and the URL under which it will be stored.
type File struct {
	Index int // the n of files[n]
	wire.Attachment
}

// AttachmentSizeLimit is the maximum size of a file in bytes.
const AttachmentSizeLimit = 10 << 20

// MaxFilename is the maximum length of a file name in code points.
const MaxFilename = 1024

// FindFile returns the file with an index. names holds the names that the request gives to files, by index.
func FindFile(files []File, index int, names map[int]string) (wire.Attachment, bool) {
	i := slices.IndexFunc(files, func(f File) bool { return f.Index == index })
	if i < 0 {
		return wire.Attachment{}, false
	}
	a := files[i].Attachment
	if name := names[index]; name != "" {
		a.Filename = name
	}
	return a, true
}

// FileIndex reads the n of files[n]. It can be a number or a string of digits.
func FileIndex(v jsonbody.Value) (int, bool) {
	if v.Kind() != jsonbody.Number && v.Kind() != jsonbody.String {
		return 0, false
	}
	n, err := strconv.ParseUint(v.Text(), 10, 31)
	return int(n), err == nil
}
