package main

import (
	"errors"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/workload"
)

// suite is all cases. A server starts when the first case needs it, and runs until close.
type suite struct {
	*environment
	commands     *commandCases
	picker       *pickerCases
	interactions *interactionCases
	gateway      *gatewayCases
	limits       *limitCases
	nodes        *nodeCases
	lobbies      *lobbyCases
	messages     *messageCases
	worlds       *worldCases
	members      *memberCases
}

func newSuite(e *environment) *suite {
	interactions, lobbies := &interactionCases{environment: e}, &lobbyCases{environment: e}
	return &suite{
		environment: e, commands: &commandCases{environment: e}, picker: &pickerCases{environment: e}, interactions: interactions,
		gateway: &gatewayCases{environment: e, interactions: interactions}, limits: &limitCases{environment: e},
		nodes: &nodeCases{environment: e, interactions: interactions, lobbies: lobbies}, lobbies: lobbies,
		messages: &messageCases{environment: e}, worlds: &worldCases{environment: e}, members: &memberCases{environment: e},
	}
}

// cases returns all cases in the order of the table.
func (s *suite) cases() []compare.Case {
	c, p, i, g, n, l, m := s.commands, s.picker, s.interactions, s.gateway, s.nodes, s.lobbies, s.messages
	noSlower, twice := compare.AtLeast(0.9), compare.AtLeast(1.8)
	return []compare.Case{
		c.selfCase(), c.selfDurableCase(),
		c.listCase(), c.getCase(),
		c.upsertCase("upsert", compare.AtLeast(0.4), smallApplications),
		c.upsertCase("upsert-one-app", compare.AtLeast(0.3), 1),
		c.bulkCase(),
		p.decideCase(), p.indexCase(), p.searchCase(),
		i.interactionCase(), i.addedCase("interaction-added-p50", 0.5, 1e6), i.addedCase("interaction-added-p99", 0.99, 5e6),
		i.deferredCase(),
		g.idleCase(), g.abandonedCase(), g.fanCase(), g.answeredCase(),
		s.limits.limiterCase(), s.limits.refusedCase(),
		n.nodesListCase(), n.nodesUpsertCase(), n.nodesJoinCase(), n.nodesMessageCase(), n.nodesInteractionCase(),
		n.twoNodesCase("two-nodes-list50", noSlower, sameFor(load.Repeat(workload.List(0).Raw))),
		varied(n.twoNodesCase("two-nodes-upsert", noSlower, n.nodesUpserts)),
		s.moreConnections(n.lobbiesRead(n.twoNodesCase("two-nodes-join", compare.AtLeast(0.75), n.nodesJoins), 2, n.startNodes)),
		varied(n.twoNodesCase("two-nodes-upsert-shared", compare.Bound{}, shared(n.nodesUpserts))),
		s.moreConnections(n.twoNodesCase("two-nodes-join-shared", compare.Bound{}, shared(n.nodesJoins))),
		varied(n.farCase("far-nodes-upsert", 2, twice, n.nodesUpserts)),
		s.moreConnections(n.lobbiesRead(n.farCase("far-nodes-join", 2, twice, n.nodesJoins), 2, n.farNodes)),
		varied(n.farCase("far-three-upsert", 3, compare.AtLeast(2.4), n.nodesUpserts)),
		s.moreConnections(n.lobbiesRead(n.farCase("far-three-join", 3, compare.AtLeast(2.4), n.nodesJoins), 3, n.farNodes)),
		varied(n.farCase("far-nodes-upsert-shared", 2, compare.Bound{}, shared(n.nodesUpserts))),
		s.moreConnections(n.farCase("far-nodes-join-shared", 2, compare.Bound{}, shared(n.nodesJoins))),
		c.largeListCase("large-list-p50", compare.P50), c.largeListCase("large-list-p99", compare.P99),
		c.largeMemoryCase(), c.largeReadyCase(),
		l.lobbyGetCase(), l.lobbyJoinCase(), l.lobbyCreateCase(),
		l.lobbyScaleCase("lobbies-get-p50", (*lobbyServer).anyLobby), l.lobbyScaleCase("lobbies-edit-p50", (*lobbyServer).anyEdit),
		l.lobbyScaleCase("lobbies-join-p50", (*lobbyServer).joins),
		l.lobbyScaleCase("lobbies-create-p50", (*lobbyServer).creates),
		l.searchCase("lobby-search-p99", l.openSearched), l.searchCase("nodes-lobby-search-p99", n.openSearched), l.lobbyMemoryCase(), l.lobbyEndCase(), l.lobbyEndLatencyCase(), l.deletionCase(), l.lobbyRateCase(),
		m.createCase(), m.historyCase(), m.fanCase(),
		m.scaleCase("messages-create-p50", m.createsIn), m.scaleCase("messages-history-p50", historyOf),
		m.scaleCase("messages-page-p50", pagesOf),
		s.members.joinCase(), s.members.roleCase(), s.members.banCase(),
		(&memoryCases{s.environment}).boundCase(), (&memoryCases{s.environment}).returnedCase(),
		s.worlds.worldTimeCase(), s.worlds.worldMemoryCase(),
	}
}

// close stops the servers and removes their files.
func (s *suite) close() error {
	var errs []error
	for _, r := range []*registry{
		s.commands.small, s.commands.large, s.limits.limited, s.picker.guild, s.interactions.invoked, s.nodes.sharedInvoked,
		s.messages.running, s.members.running,
	} {
		if r != nil {
			errs = append(errs, r.Stop())
		}
	}
	for _, l := range s.lobbies.running {
		errs = append(errs, l.Stop())
	}
	if s.nodes.cluster != nil {
		errs = append(errs, s.nodes.cluster.stop())
	}
	for _, p := range s.interactions.apps {
		errs = append(errs, p.Stop())
	}
	return errors.Join(append(errs, s.remove())...)
}
