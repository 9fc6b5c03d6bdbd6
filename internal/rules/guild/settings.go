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
	for key, hash := range map[string]*string{
		"icon": &s.Icon, "splash": &s.Splash, "discovery_splash": &s.DiscoverySplash, "banner": &s.Banner, "home_header": &s.HomeHeader,
	} {
		if v := p.Images[key]; !v.IsZero() {
			*hash = v.Or(imagedata.Image{}).Hash
		}
	}
	return s
}
