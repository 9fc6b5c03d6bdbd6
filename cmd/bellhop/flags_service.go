package main

// devService names a running service with dev controls.
type devService struct {
	BaseURL string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service with dev controls, http://127.0.0.1:8080 by default."`
}
