package message

import (
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/payload"
)

// File is a file that came with a request. Whoever received it has given it the id and the address that it will have.
type File struct {
	Index int // the n of files[n]
	payload.Attachment
}

// AttachmentSizeLimit is how many bytes a file may have.
const AttachmentSizeLimit = 10 << 20

// MaxFilename is how many code points the name of a file may have.
const MaxFilename = 1024

// FindFile returns the file with an index, under the name that the request gives it.
func FindFile(files []File, index int, names map[int]string) (payload.Attachment, bool) {
	i := slices.IndexFunc(files, func(f File) bool { return f.Index == index })
	if i < 0 {
		return payload.Attachment{}, false
	}
	a := files[i].Attachment
	if name := names[index]; name != "" {
		a.Filename = name
	}
	return a, true
}

// FileIndex reads the n of files[n], written as a number or as digits.
func FileIndex(v jsonbody.Value) (int, bool) {
	if v.Kind() != jsonbody.Number && v.Kind() != jsonbody.String {
		return 0, false
	}
	n, err := strconv.ParseUint(v.Text(), 10, 31)
	return int(n), err == nil
}
