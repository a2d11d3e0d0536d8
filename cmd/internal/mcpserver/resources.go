package mcpserver

import (
	"context"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tribunal-dev/tribunal/docs"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Addresses of resources.
const (
	methodsAddress   = "tribunal://methods"
	sentencesAddress = "tribunal://sentences"
	runsAddress      = "tribunal://runs"
	markdown         = "text/markdown"
	plainText        = "text/plain"
)

// addResources adds the pages of the manual, and the results that are saved in the folder.
func (s *Server) addResources() {
	add := func(address, name, title, kind string, read func(context.Context) (string, error)) {
		s.server.AddResource(&mcp.Resource{URI: address, Name: name, Title: title, MIMEType: kind},
			func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				text, err := read(ctx)
				return contents(r.Params.URI, kind, text), err
			})
	}
	// Lists of what there is: a page at once would fill a context.
	add(methodsAddress, "methods", "Headings of the methods page", markdown, func(context.Context) (string, error) {
		return index(docs.Methods, methodsAddress), nil
	})
	add(sentencesAddress, "sentences", "Headings of the page of codes", markdown, func(context.Context) (string, error) {
		return index(docs.Sentences, sentencesAddress), nil
	})
	add(runsAddress, "runs", "Results that are saved in this folder", plainText, func(context.Context) (string, error) {
		return asData(strings.Join(s.saved(), "\n"), MostBytes), nil
	})
	template := func(pattern, name, title, kind string, read func(context.Context, string) (string, error)) {
		s.server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: pattern, Name: name, Title: title, MIMEType: kind},
			func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				_, rest, _ := strings.Cut(strings.TrimPrefix(r.Params.URI, "tribunal://"), "/")
				rest, err := url.PathUnescape(rest)
				if err != nil {
					return nil, mcp.ResourceNotFoundError(r.Params.URI)
				}
				text, err := read(ctx, rest)
				return contents(r.Params.URI, kind, text), err
			})
	}
	template(methodsAddress+"/{heading}", "method", "A part of the methods page", markdown, page(docs.Methods))
	template(sentencesAddress+"/{heading}", "sentence", "A part of the page of codes", markdown, page(docs.Sentences))
	template(runsAddress+"/{+file}", "run", "A saved result as text", plainText,
		func(ctx context.Context, file string) (string, error) {
			answer, _, err := s.explain(ctx, nil, explainInput{Result: file})
			if err != nil {
				return "", err
			}
			return answer.Content[0].(*mcp.TextContent).Text, nil
		})
}

func contents(address, kind, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: address, MIMEType: kind, Text: text}}}
}

// index lists the sections of a page with their addresses.
func index(page, address string) string {
	var list strings.Builder
	for _, part := range sections(page) {
		list.WriteString("- [" + part.title + "](" + address + "/" + part.slug() + ")\n")
	}
	return list.String()
}

// page reads a section of a page.
func page(page string) func(context.Context, string) (string, error) {
	return func(_ context.Context, slug string) (string, error) {
		for _, part := range sections(page) {
			if part.slug() == slug {
				return cutLines(part.text, MostBytes), nil
			}
		}
		return "", mcp.ResourceNotFoundError(slug)
	}
}

// Bounds of the search for results, which are chosen.
const (
	mostSaved  = 50
	mostLooked = 20_000 // entries of folders
)

// saved are the results in the folders .tribunal, by their names from the folder.
func (s *Server) saved() (list []string) {
	looked := 0
	_ = fs.WalkDir(s.folder.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if looked++; looked > mostLooked || len(list) >= mostSaved {
			return fs.SkipAll
		}
		switch {
		case err != nil:
			return nil // of one folder
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return fs.SkipDir
		case entry.Type().IsRegular() && path.Base(path.Dir(name)) == workFolder && strings.HasSuffix(name, ".result.json"):
			list = append(list, prose.Printable(name))
		}
		return nil
	})
	return list
}

// workFolder is the name of the folder of results.
const workFolder = ".tribunal"
