package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"time"
)

// plot is the picture of a run: a panel for each series.
type plot struct {
	Heading, Version, Machine string
	Length, Judged            time.Duration // the part from Judged on is judged
	Restarts                  []time.Duration
	Samples                   []sample
	Verdicts                  []verdict
}

// The sizes of the picture in pixels.
const (
	panelWidth, panelHeight = 350, 110
	panelLeft, panelTop     = 50, 130
	panelStepX, panelStepY  = 420, 190
	columns                 = 2
)

// svg renders the picture.
func (p plot) svg() []byte {
	var b bytes.Buffer
	height := panelTop + (len(series)+1)/columns*panelStepY
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 %d" font-family="system-ui, sans-serif" font-size="13" role="img">`+"\n", height)
	fmt.Fprintf(&b, "  <title>Memory, goroutines, open files, rows and latency during %s</title>\n", html.EscapeString(p.Heading))
	fmt.Fprintf(&b, `  <rect width="860" height="%d" fill="#fbf9f6"/>`+"\n", height)
	for i, line := range []string{p.Heading, p.Version, p.Machine, "Dashed lines are restarts. The shaded half is judged."} {
		fmt.Fprintf(&b, `  <text x="20" y="%d" fill="#221d18">%s</text>`+"\n", 26+20*i, html.EscapeString(line))
	}
	for i, s := range series {
		p.panel(&b, s, p.Verdicts[i], panelLeft+i%columns*panelStepX, panelTop+i/columns*panelStepY)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// panel draws one series at a position.
func (p plot) panel(b *bytes.Buffer, s valueSeries, v verdict, left, top int) {
	highest := 0.0
	for _, x := range p.Samples {
		highest = max(highest, s.value(x))
	}
	highest = ceiling(highest)
	x := func(at time.Duration) float64 { return panelWidth * at.Seconds() / p.Length.Seconds() }
	fmt.Fprintf(b, `  <g transform="translate(%d %d)" fill="#221d18">`+"\n", left, top)
	fmt.Fprintf(b, `    <text y="-22" font-weight="600">%s</text><text y="-6" font-size="11">%s</text>`+"\n", s.name, html.EscapeString(v.String()))
	fmt.Fprintf(b, `    <rect width="%d" height="%d" fill="#ffffff" stroke="#8c8174"/>`+"\n", panelWidth, panelHeight)
	fmt.Fprintf(b, `    <rect x="%.1f" width="%.1f" height="%d" fill="#f9e9e3"/>`+"\n", x(p.Judged), panelWidth-x(p.Judged), panelHeight)
	for _, at := range p.Restarts {
		fmt.Fprintf(b, `    <path d="M%.1f 0v%d" stroke="#5d554b" stroke-dasharray="3 3"/>`+"\n", x(at), panelHeight)
	}
	b.WriteString(`    <polyline fill="none" stroke="#8f3620" stroke-width="1.5" points="`)
	for _, sample := range p.Samples {
		fmt.Fprintf(b, "%.1f,%.1f ", min(x(sample.at), panelWidth), panelHeight*(1-s.value(sample)/highest))
	}
	b.WriteString("\"/>\n")
	fmt.Fprintf(b, `    <g font-size="11" text-anchor="end"><text x="-6" y="8">%g</text><text x="-6" y="%d">0</text><text x="%d" y="%d">%v</text></g>`+"\n",
		highest, panelHeight, panelWidth, panelHeight+16, p.Length)
	b.WriteString("  </g>\n")
}

// ceiling returns the smallest of 1, 2 and 5 times a power of ten that is at least v.
func ceiling(v float64) float64 {
	if v <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, factor := range []float64{1, 2, 5} {
		if v <= factor*power {
			return factor * power
		}
	}
	return 10 * power
}
