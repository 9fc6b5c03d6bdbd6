package directory

import "github.com/bellhop/bellhop/snowflake"

// ForgetUsers makes the directory read users again. Whoever gives users a record without the directory calls it after the
// record is durable and before it is acknowledged.
func (d *Directory) ForgetUsers(ids ...snowflake.User) { d.users.Forget(ids...) }
