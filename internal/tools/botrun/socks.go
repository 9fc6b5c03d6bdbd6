package botrun

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// Some libraries for Java open the connection of the gateway without the HTTP proxy of the JVM. Their sockets use the SOCKS proxy
// of the JVM, after the JVM has looked up the address. So the JVM gets a hosts file in which Discord's names have an address that
// no host has, and the front serves SOCKS 5 (RFC 1928) for that address.

// placeholder is the address of Discord's names in the hosts file. RFC 5737 reserves it for documents.
const placeholder = "192.0.2.1"

// hostsFile returns a hosts file for the JVM: the one of this machine, and Discord's names.
func hostsFile(machine []byte) []byte {
	names := []string{"gateway.discord.gg", "cdn.discordapp.com", "media.discordapp.net", "canary.discord.com", "ptb.discord.com"}
	text := fmt.Sprintf("127.0.0.1 localhost\n%s %s\n", placeholder, strings.Join(append(names, discordHosts...), " "))
	return append(machine, "\n"+text...)
}

const (
	socksVersion = 5
	socksTime    = 10 * time.Second // for the greeting of a client
)

// serveSOCKS serves clients of the SOCKS port until it is closed.
func (f *front) serveSOCKS(ctx context.Context) error {
	for {
		client, err := f.socks.Accept()
		switch {
		case ctx.Err() != nil:
			return http.ErrServerClosed
		case err != nil:
			return err
		}
		go func() { // ends when either side closes its connection, or ctx ends
			defer context.AfterFunc(ctx, func() { _ = client.Close() })()
			_ = f.tunnel(ctx, client) // the client has seen a refusal, or is gone
			_ = client.Close()
		}()
	}
}

// tunnel connects a client of the SOCKS port with the TLS port, which knows the host by the client's greeting. Connections to
// ports of other protocols, such as that of a database, reach their hosts.
func (f *front) tunnel(ctx context.Context, client net.Conn) error {
	if err := client.SetDeadline(clock.DeadlineNow().Add(socksTime)); err != nil {
		return err
	}
	host, port, err := socksGreeting(client)
	if err != nil {
		return err
	}
	address := f.tls.Addr().String()
	if host != placeholder && !isDiscord(host) {
		if port == 80 || port == 443 {
			f.report(host)
			_, err := client.Write(socksAnswer(2)) // not allowed
			return err
		}
		address = net.JoinHostPort(host, strconv.Itoa(port))
	}
	dialer := net.Dialer{Timeout: socksTime}
	end, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		_, answered := client.Write(socksAnswer(4)) // unreachable
		return errors.Join(err, answered)
	}
	defer func() { _ = end.Close() }() // nothing was buffered
	if _, err := client.Write(socksAnswer(0)); err != nil {
		return err
	}
	if err := client.SetDeadline(time.Time{}); err != nil {
		return err
	}
	join(client, client, end)
	return nil
}

// socksGreeting reads the greeting and the request of a client, and returns where it wants to connect to.
func socksGreeting(client net.Conn) (host string, port int, err error) {
	var head [2]byte // version, number of methods
	if _, err := io.ReadFull(client, head[:]); err != nil {
		return "", 0, err
	}
	methods := make([]byte, head[1])
	if _, err := io.ReadFull(client, methods); err != nil {
		return "", 0, err
	}
	if head[0] != socksVersion {
		return "", 0, fmt.Errorf("SOCKS version %d", head[0])
	}
	if _, err := client.Write([]byte{socksVersion, 0}); err != nil { // no authentication
		return "", 0, err
	}
	var request [4]byte // version, command, reserved, type of address
	if _, err := io.ReadFull(client, request[:]); err != nil {
		return "", 0, err
	}
	size := map[byte]int{1: net.IPv4len, 4: net.IPv6len}[request[3]]
	if request[3] == 3 { // a name
		var length [1]byte
		if _, err := io.ReadFull(client, length[:]); err != nil {
			return "", 0, err
		}
		size = int(length[0])
	}
	if request[1] != 1 || size == 0 {
		_, err := client.Write(socksAnswer(7)) // command not supported
		return "", 0, errors.Join(errors.New("not a SOCKS connection to an address"), err)
	}
	address := make([]byte, size+2) // and the port
	if _, err := io.ReadFull(client, address); err != nil {
		return "", 0, err
	}
	port = int(binary.BigEndian.Uint16(address[size:]))
	if request[3] == 3 {
		return string(address[:size]), port, nil
	}
	return net.IP(address[:size]).String(), port, nil
}

// socksAnswer returns the answer with a code. The address in it means nothing here.
func socksAnswer(code byte) []byte { return []byte{socksVersion, code, 0, 1, 0, 0, 0, 0, 0, 0} }
