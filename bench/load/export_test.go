package load

import "io"

// Answer is an answer as the parser saw it.
type Answer struct {
	Status  int
	Body    int64
	Excerpt string
	Close   bool
}

// ReadAnswers reads final answers from src until it ends or breaks HTTP.
func ReadAnswers(src io.Reader) ([]Answer, error) {
	r := newReader(src)
	var answers []Answer
	for {
		a, err := r.next()
		if err != nil {
			return answers, err
		}
		answers = append(answers, Answer{a.status, a.body, string(a.excerpt), a.close})
		if a.close {
			return answers, io.EOF
		}
	}
}
