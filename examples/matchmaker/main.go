// Command matchmaker is the backend of a game. It signs in a player who has no account, and finds a lobby with a free place.
// Its tests run it against Bellhop in process.
//
// A game client sends POST /match?player=ID&map=NAME, and gets the id of a lobby and an access token of the player. The client
// reads and writes messages in the lobby with this token. The ids of players come from the game's own sign-in, which is not shown.
//
//	BELLHOP_BASE_URL=… BELLHOP_BOT_TOKEN=… MATCHMAKER_LISTEN=127.0.0.1:8082 matchmaker
package main

import (
	"cmp"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/go-json-experiment/json"
)

func main() {
	backend := &Backend{API: &client.Client{
		BaseURL: os.Getenv("BELLHOP_BASE_URL"), Authorization: "Bot " + os.Getenv("BELLHOP_BOT_TOKEN"),
	}}
	server := &http.Server{
		Addr: cmp.Or(os.Getenv("MATCHMAKER_LISTEN"), "127.0.0.1:8082"), Handler: backend, ReadHeaderTimeout: 5 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}

// ServeHTTP answers POST /match.
func (b *Backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	player, arena := r.FormValue("player"), r.FormValue("map")
	if r.Method != http.MethodPost || r.URL.Path != "/match" || player == "" || arena == "" {
		http.Error(w, "use POST /match?player=ID&map=NAME", http.StatusBadRequest)
		return
	}
	found, err := b.Match(r.Context(), player, arena)
	if err != nil {
		log.Print(err)
		http.Error(w, "no lobby can be found now", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.MarshalWrite(w, found); err != nil {
		log.Print(err)
	}
}
