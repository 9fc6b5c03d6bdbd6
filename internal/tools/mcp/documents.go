package mcp

import (
	"context"

	"github.com/bellhop/bellhop/internal/docsite"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// documentURI begins the URIs of documents.
const documentURI = "bellhop://docs/"

// addDocuments adds the pages of the documentation as resources.
func addDocuments(s *sdk.Server, pages []docsite.Page) {
	for _, p := range pages {
		r := &sdk.Resource{
			URI: documentURI + p.Name, Name: p.Name, Title: p.Title, Description: p.About + ".", MIMEType: "text/markdown", Size: int64(len(p.Text)),
		}
		s.AddResource(r, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.URI, MIMEType: r.MIMEType, Text: p.Text}}}, nil
		})
	}
}
