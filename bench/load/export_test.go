package load

import "io"

// Answer is a response as the parser sees it.
type Answer struct {
	Status  int
	Body    int64
	Excerpt string
	Close   bool
}

// ReadAnswers reads final responses from src until it ends or violates HTTP.
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
