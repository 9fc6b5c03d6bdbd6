package store

import "github.com/bellhop/bellhop/snowflake"

// StoredFile is a file on disk that counts against the quotas of an application and a guild.
type StoredFile struct {
	ID          snowflake.Attachment
	Application snowflake.Application
	Guild       snowflake.Guild // 0: of a direct message
	Size        int64
}

func (f StoredFile) subjects() []Subject {
	subjects := []Subject{StorageSubject(f.Application, 0)}
	if f.Guild != 0 {
		subjects = append(subjects, StorageSubject(0, f.Guild))
	}
	return subjects
}

func (f StoredFile) write(w *writes) {
	w.put(storedFilesTable, key(f.ID), key(f.Application), key(f.Guild), f.Size)
}

// StoredFileKey names a file.
func StoredFileKey(f StoredFile) Key {
	return Key{subs: f.subjects(), rows: []rowKey{{storedFilesTable, []string{"attachment_id"}, []any{key(f.ID)}}}}
}

// StoredFile returns a file.
func (q MessageQueries) StoredFile(id snowflake.Attachment) (StoredFile, error) {
	row, err := q.row(storedFilesTable, key(id))
	if err != nil {
		return StoredFile{}, err
	}
	return storedFile(row), nil
}

func storedFile(row Row) StoredFile {
	return StoredFile{snowflake.Attachment(row.int(0)), snowflake.Application(row.int(1)), snowflake.Guild(row.int(2)), row.int(3)}
}

// StoredFiles returns up to limit files with ids above after.
func (q MessageQueries) StoredFiles(after snowflake.Attachment, limit int) ([]StoredFile, error) {
	rows, err := q.rows(storedFilesTable, page{"attachment_id", key(after), limit}, nil)
	files := make([]StoredFile, len(rows))
	for i, row := range rows {
		files[i] = storedFile(row)
	}
	return files, err
}

// StoredBytes returns the number of bytes of all files of an application, or of a guild if app is 0, or of all files if
// both are 0.
func (q MessageQueries) StoredBytes(app snowflake.Application, guild snowflake.Guild) (int64, error) {
	const sum = "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM stored_files"
	switch {
	case app != 0:
		q.read(StorageSubject(app, 0))
		return q.number(sum+" WHERE application_id = ?", key(app))
	case guild != 0:
		q.read(StorageSubject(0, guild))
		return q.number(sum+" WHERE guild_id = ?", key(guild))
	}
	return q.number(sum)
}
