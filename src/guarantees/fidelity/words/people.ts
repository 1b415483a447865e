import { anyOf } from './cues.ts'
import type { Word } from './tagging.ts'

/** Common first names and words of kinship by gender: only to tell whom "he" and "she" can mean. */
const FEMININE = anyOf(`
  ms mrs miss madam mother mom mum mommy grandma grandmother sister daughter wife girlfriend aunt niece woman girl lady queen actress waitress
  anna ana anne ann alice amy andrea angela amara barbara bea beth carla carol caroline catherine charlotte chloe claire clara cleo dana diana dora elena elisa elizabeth ella emily emma erin eva eve fatima fiona
  grace hana hannah heather helen ida ines ingrid irene isabel jane jennifer jessica joan judith julia karen kate katherine katrin laura lea lena leila linda lisa lucy luisa maria marie marta martha mary maya mei mia
  priya leonie ottilie simone lucia nadja noor irma astrid bianca farah lily greta ellen carla anya ayesha agnes alina amina annika antonia audrey ava aisha bella betty brenda bridget camille carmen cecilia celia christina christine cindy clare colette corinne cynthia daisy daniela daphne deborah denise diane donna dorothy edith eleanor eliza elsa esther florence francesca freya gabriela georgia gina gloria grete gwen harriet hazel heidi hilda ines inga ilse imogen irma ivy jacqueline jasmine jean jenny jill joan joanna josephine joyce juliet juliette june karin katie kathleen kim kira kirsten lara larissa leah leonora lorna lotte louise lucinda lydia mabel madeleine magda margaret marion marlene martina matilda maud mavis melanie meera michaela mildred millie mira miriam molly monica monika
  michelle mona nadia nancy nina nora noor olga olivia paula petra priya rachel rebecca renata rosa ruth sandra sara sarah sina sofia sophia sophie stella susan tanya teresa tina vera victoria yasmin yuki zoe
`)
const MASCULINE = anyOf(`
  mr sir father dad daddy grandpa grandfather brother son husband boyfriend uncle nephew man boy king actor waiter
  adam ahmed ali alan albert andrew anton arthur ben benjamin boris brian carlos charles chris daniel david diego dmitri edward emil eric erik ethan felix finn frank fred gabriel george greg hans harry henry hugo
  igor ivan ivo jack jacob jakob james jan jason john jonas jorge jose joseph juan karim kevin kofi kurt lars leo leon liam luca lucas luis marco marcus mario mark martin matthew max michael miguel mike mohamed nathan
  albrecht aaron abdul aidan alex alexander alistair amir angus anil archie arjun arnold arne axel barry bart bernard bill bjorn bob boris bruno callum cedric clive colin craig damian darren dennis derek dieter dirk dominic donald douglas dylan eduardo edgar edwin eli elias enzo ernest evan ezra farid felipe fernando filip francis franz fritz gareth gavin geoffrey gerald giovanni graham gregor guido gunter gustav hamish harold hassan heinz henrik herbert horst howard ian ibrahim ignacio isaac ismail ivor jamal jared javier jeff jeremy jerome jim joel joachim joe jonah jonathan jordan jorg josef joshua julian jurgen karl keith kenneth kenji klaus kyle lloyd lorenz louis magnus malcolm manfred manuel marcel marek mateo matthias maurice mauro mehmet mikhail milan milo murray neil nigel nikolai nils norman omid otto owen
  nick noah oliver omar oscar oskar pablo patrick paul pavel pedro peter philip pierre piet rafael raj richard robert roman ryan samuel scott sergei simon stefan stephen steven theo thomas tim tom tomas victor william yusuf
`)

export const isFeminine = ({ norm }: Word): boolean => FEMININE.has(norm)
export const isMasculine = ({ norm }: Word): boolean => MASCULINE.has(norm)

const ROLES = anyOf(`
  customer client user doctor nurse patient manager boss lead engineer developer designer director teacher student lawyer tenant landlord landlady vendor supplier contractor plumber electrician neighbour neighbor
  colleague coworker friend partner parent child kid baby analyst reviewer recruiter candidate witness defendant agent rep salesperson officer president ceo cto cfo coo intern owner guest driver author editor buyer
  architect barber builder butcher baker caretaker carpenter cashier caterer chef chemist cleaner clerk consultant cook courier cyclist decorator deputy electorate farmer firefighter gardener guard hairdresser handyman janitor journalist judge juror lecturer lender librarian lodger mechanic midwife minister musician nanny notary optician painter paralegal paramedic pastor pharmacist photographer physio physiotherapist pilot priest principal professor psychologist psychiatrist radiologist receptionist roofer sailor secretary sergeant sitter babysitter soldier solicitor barrister attorney surgeon surveyor tailor technician teller translator treasurer trustee tutor vet vicar violinist volunteer waiter warden welder widow pensioner passenger resident cousin grandparent sibling spouse fiance fiancee flatmate roommate housemate
  postman policeman policewoman fireman chairman chairwoman chairperson salesman saleswoman foreman repairman handyperson businessman businesswoman fisherman milkman spokesman spokeswoman spokesperson mailman dentist executor heir
  landowner leaseholder claimant applicant insurer adjuster adviser advisor broker banker inspector investigator detective officer constable commissioner councillor mayor senator
  seller host trainer coach dentist physician therapist accountant auditor admin administrator operator maintainer chair speaker applicant employee worker
`)

/** Whom a pronoun may take up: a name that is no code, a word of kinship, an office. */
export const isPerson = (word: Word): boolean =>
  word.tag === 'N' &&
  ((word.kind === 'word' &&
    word.norm.length > 1 &&
    (word.proper || (word.first && /^\p{Lu}/u.test(word.text)))) ||
    FEMININE.has(word.norm) ||
    MASCULINE.has(word.norm) ||
    ROLES.has(word.lemma))
