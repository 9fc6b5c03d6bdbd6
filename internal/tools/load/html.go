package load

import (
	_ "embed" // for report.html
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
	"time"
)

//go:embed report.html
var reportPage string

// HTML writes the report as a page with plots. The page loads nothing from elsewhere.
func (r *Report) HTML(w io.Writer) error {
	page, err := template.New("report.html").Funcs(template.FuncMap{
		"latency": showLatency, "seconds": func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) },
	}).Parse(reportPage)
	if err != nil {
		return err
	}
	return page.Execute(w, struct {
		*Report

		Asked, Overhead string
		ErrorPercent    float64
		Plots           []plot
	}{r, r.asked(), r.overhead(), r.errorPercent(), []plot{r.latencyPlot(), r.throughputPlot(), r.percentilePlot()}})
}

// The size of a plot and of its inner area, in pixels.
const (
	plotWidth, plotHeight = 720, 240
	plotLeft, plotRight   = 70, 26
	plotTop, plotBottom   = 10, 30
	plotTicks             = 4
	maxPlotPoints         = 600
)

// plot is a diagram with one or more lines.
type plot struct {
	Title  string
	Lines  []plotLine
	Across []plotTick // labels of the horizontal axis
	Up     []plotTick
}

type plotLine struct {
	Name   string
	Color  int    // index of a colour of the page
	Points string // of an SVG polyline
}

type plotTick struct {
	X, Y float64
	Text string
}

// series are the values of one line, for the same positions as the other lines of the plot.
type series struct {
	name   string
	color  int
	values []float64
}

// draw returns a plot of lines. The positions are between 0 and 1.
func draw(title string, positions []float64, show func(float64) string, lines ...series) plot {
	highest := 0.0
	for _, l := range lines {
		for _, v := range l.values {
			highest = max(highest, v)
		}
	}
	highest = roundUp(highest)
	p := plot{Title: title}
	const width, height = plotWidth - plotLeft - plotRight, plotHeight - plotTop - plotBottom
	for _, l := range lines {
		var b strings.Builder
		for i, v := range l.values {
			fmt.Fprintf(&b, "%.1f,%.1f ", plotLeft+positions[i]*width, plotTop+(1-v/highest)*height)
		}
		p.Lines = append(p.Lines, plotLine{l.name, l.color, strings.TrimSpace(b.String())})
	}
	for i := range plotTicks + 1 {
		share := float64(i) / plotTicks
		p.Up = append(p.Up, plotTick{plotLeft - 6, plotTop + (1-share)*height, show(share * highest)})
	}
	return p
}

// across adds a label to the horizontal axis.
func (p *plot) across(position float64, text string) {
	p.Across = append(p.Across, plotTick{plotLeft + position*(plotWidth-plotLeft-plotRight), plotHeight - 8, text})
}

// roundUp returns the next number that is 1, 2, 4 or 8 times a power of ten.
func roundUp(v float64) float64 {
	if v <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 2, 4, 8} {
		if n*power >= v {
			return n * power
		}
	}
	return 10 * power
}

func showPlotLatency(v float64) string { return showLatency(time.Duration(v)) }

// timePlot returns a plot over the time of the run. Points of a long run are combined by their largest value.
func (r *Report) timePlot(title string, show func(float64) string, lines []series, value func(p Point, line int) float64) plot {
	group := len(r.Points)/maxPlotPoints + 1
	var positions []float64
	for start := 0; start < len(r.Points); start += group {
		part := r.Points[start:min(start+group, len(r.Points))]
		positions = append(positions, float64(start)/float64(max(len(r.Points)-1, 1)))
		for i := range lines {
			v := 0.0
			for _, p := range part {
				v = max(v, value(p, i))
			}
			lines[i].values = append(lines[i].values, v)
		}
	}
	p := draw(title, positions, show, lines...)
	if n := len(r.Points); n > 0 {
		for i := range plotTicks + 1 {
			share := float64(i) / plotTicks
			p.across(share, fmt.Sprintf("%.0f s", share*r.Points[n-1].At.Seconds()))
		}
	}
	return p
}

func (r *Report) latencyPlot() plot {
	lines := []series{{name: "p50", color: 1}, {name: "p99", color: 2}, {name: "max", color: 3}}
	return r.timePlot("Latency over time", showPlotLatency, lines, func(p Point, line int) float64 {
		return float64([]time.Duration{p.P50, p.P99, p.Max}[line])
	})
}

func (r *Report) throughputPlot() plot {
	lines := []series{{name: "invocations a second", color: 1}, {name: "failures a second", color: 3}}
	return r.timePlot("Throughput over time", func(v float64) string { return fmt.Sprintf("%g", v) }, lines, func(p Point, line int) float64 {
		return []float64{p.rate(), float64(p.Failed) / p.Span.Seconds()}[line]
	})
}

// percentilePlot shows the latency at each percentile. Each step to the right halves the share of slower invocations.
func (r *Report) percentilePlot() plot {
	line := series{name: "latency", color: 1}
	var positions []float64
	last := float64(max(len(r.Distribution)-1, 1))
	for i, s := range r.Distribution {
		positions = append(positions, float64(i)/last)
		line.values = append(line.values, float64(s.Latency))
	}
	p := draw("Latency by percentile", positions, showPlotLatency, line)
	for _, percentile := range []float64{0, 50, 90, 99, 99.9, 99.99, 99.999} {
		if at := -math.Log2(1-percentile/100) / last; at <= 1 {
			p.across(at, fmt.Sprintf("p%g", percentile))
		}
	}
	return p
}
