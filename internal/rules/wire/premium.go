package wire

import (
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// SKU is an offer of an application.
type SKU struct {
	ID            snowflake.SKU         `json:"id"`
	Type          int                   `json:"type"`
	ApplicationID snowflake.Application `json:"application_id"`
	Name          string                `json:"name"`
	Slug          string                `json:"slug"`
	Flags         int                   `json:"flags"`
}

// Entitlement gives a user or a guild what a SKU offers.
type Entitlement struct {
	ID            snowflake.Entitlement `json:"id"`
	SKUID         snowflake.SKU         `json:"sku_id"`
	ApplicationID snowflake.Application `json:"application_id"`
	UserID        snowflake.User        `json:"user_id,omitzero"`
	Type          int                   `json:"type"`
	Deleted       bool                  `json:"deleted"`
	Consumed      bool                  `json:"consumed"`
	Starts        *Time                 `json:"starts_at,omitzero"` // absent in the answer to a request for a test entitlement
	Ends          *Time                 `json:"ends_at,omitzero"`   // as Starts
	GuildID       snowflake.Guild       `json:"guild_id,omitzero"`
}

// Print prints the entitlement.
func (e Entitlement) Print(p *Printer) {
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // it contains only ids, numbers and times
	}
	p.Out = append(p.Out, text...)
}

// Subscription is a user who pays for a SKU every month.
type Subscription struct {
	ID             snowflake.Subscription  `json:"id"`
	UserID         snowflake.User          `json:"user_id"`
	SKUIDs         []snowflake.SKU         `json:"sku_ids"`
	RenewalSKUIDs  null                    `json:"renewal_sku_ids"` // no subscription changes its SKU
	EntitlementIDs []snowflake.Entitlement `json:"entitlement_ids"`
	Start          Time                    `json:"current_period_start"`
	End            Time                    `json:"current_period_end"`
	Status         int                     `json:"status"`
	Canceled       Time                    `json:"canceled_at"`
}
