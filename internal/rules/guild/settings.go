package guild

import (
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/snowflake"
)

// Settings are the members of a guild that requests set.
type Settings struct {
	Name              string
	Description       string
	VerificationLevel int
	Notifications     int
	ContentFilter     int
	AFKChannel        snowflake.Channel
	AFKTimeout        int // seconds
	SystemChannel     snowflake.Channel
	SystemFlags       int
	RulesChannel      snowflake.Channel
	UpdatesChannel    snowflake.Channel
	SafetyChannel     snowflake.Channel
	Locale            locale.Code
	ProgressBar       bool
	Features          []string
	// The hashes of the images; empty: none.
	Icon, Splash, DiscoverySplash, Banner, HomeHeader string
}

// Apply returns s with the members of p in place of its own.
func (p Patch) Apply(s Settings) Settings {
	s.Name = p.Name.Or(s.Name)
	s.Description = p.Description.Or(s.Description)
	s.VerificationLevel = p.VerificationLevel.Or(s.VerificationLevel)
	s.Notifications = p.Notifications.Or(s.Notifications)
	s.ContentFilter = p.ContentFilter.Or(s.ContentFilter)
	s.AFKChannel = p.AFKChannel.Or(s.AFKChannel)
	s.AFKTimeout = p.AFKTimeout.Or(s.AFKTimeout)
	s.SystemChannel = p.SystemChannel.Or(s.SystemChannel)
	s.SystemFlags = p.SystemFlags.Or(s.SystemFlags)
	s.RulesChannel = p.RulesChannel.Or(s.RulesChannel)
	s.UpdatesChannel = p.UpdatesChannel.Or(s.UpdatesChannel)
	s.SafetyChannel = p.SafetyChannel.Or(s.SafetyChannel)
	s.Locale = p.Locale.Or(s.Locale)
	if p.Locale.IsNull() {
		s.Locale = locale.EnglishUS
	}
	s.ProgressBar = p.ProgressBar.Or(s.ProgressBar)
	s.Features = p.Features.Or(s.Features)
	for key, v := range p.Images {
		*imageOf(&s, key) = v.Or(imagedata.Image{}).Hash
	}
	return s
}

// ImageOf returns the hash of an image of a guild by the name of its member.
func ImageOf(s *Settings, key string) string { return *imageOf(s, key) }

func imageOf(s *Settings, key string) *string {
	switch key {
	case "icon":
		return &s.Icon
	case "splash":
		return &s.Splash
	case "discovery_splash":
		return &s.DiscoverySplash
	case "banner":
		return &s.Banner
	default:
		return &s.HomeHeader
	}
}
