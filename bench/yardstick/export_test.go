package yardstick

import (
	"context"
	"database/sql/driver"
	"fmt"
)

// Setting returns the value of a pragma of the connection that writes.
func (d *Durable) Setting(ctx context.Context, pragma string) (string, error) {
	rows, err := d.writer.conn.(driver.QueryerContext).QueryContext(ctx, "PRAGMA "+pragma, nil)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var value [1]driver.Value
	err = rows.Next(value[:])
	return fmt.Sprint(value[0]), err
}
