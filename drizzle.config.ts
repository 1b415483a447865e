import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/ledger/sqlite/schema.ts',
  out: './migrations',
})
