/** Phrases that act as one word. Their parts are norms of tokens: `can't` is `can not`. */
const PHRASES = `
no longer|not any longer|not anymore|any longer|any more|no more than|no less than|no fewer than|not more than|not less than
no later than|no earlier than|no sooner than|not later than
at least|at most|up to|more than|less than|fewer than|greater than|larger than|higher than|lower than|other than|rather than|instead of|as opposed to
as well as|as long as|so long as|provided that|on condition that|in case|in the event that|in the event of|assuming that|only if|even if|if not|as if|as though|only when|only after|only once
subject to|contingent on|contingent upon|conditional on|depending on|pending
out of the question|off the table|ruled out|rule out|rules out|ruling out|under no circumstances|in no way|by no means|on no account|not at all|at all
all but|anything but|far from|nothing but|none but|with the exception of|except for|apart from|aside from|except that
not only|but also|not just|not all|not every|not everyone|not everybody|not everything|not many|not much|not a single|not one|not any
no one|each other|one another|a few|a lot of|lots of|a number of|a couple of|a majority of|the majority of|a minority of|most of|plenty of|a handful of|hardly any|hardly anyone|hardly anybody|almost everyone|nearly everyone|almost everybody|almost everything|nearly everything|barely anyone|hardly ever|barely any|almost all|nearly all|almost every|nearly every|almost no|almost none|almost nobody|almost nothing|virtually no|virtually all
have to|has to|had to|having to|need to|needs to|needed to|ought to|used to|going to|about to|able to|unable to|got to|supposed to|had better|would rather|be able
in order to|so that|so as to|due to|because of|according to|in addition to|such as|such that|even though|as soon as|by the time|as far as|in spite of|in favor of|in favour of|in front of|in terms of|with regard to|with respect to|as for|close to|next to|instead
yet to|fail to|fails to|failed to|failing to|failure to|too|neither|short of
pencil in|penciled in|pencilled in|pencilling in|penciling in|for now|for the time being|for sure|for certain|so far|as yet|until now|up for grabs|up in the air|under consideration|to be decided|to be determined|to be confirmed|on the fence|on hold|in progress|on track|on time|on schedule
turn off|turned off|turning off|turns off|turn on|turned on|turning on|turns on|switch off|switched off|switching off|switch on|switched on|shut down|shuts down|shutting down|set up|sets up|setting up|sign off|signed off|signs off|sign up|signed up|roll out|rolled out|rolling out|roll back|rolled back|rolling back|phase out|phased out|opt out|opted out|opt in|opted in|call off|called off|put off|push back|pushed back|move up|moved up|bring forward|brought forward|hold off|held off|holding off|turn down|turned down|turning down|turns down|go ahead|went ahead|going ahead|give up|gave up|given up|set aside|left out|leave out|carry on|run out|ran out|find out|found out|figure out|figured out|work out|back up|backed up|take over|took over|taken over|hand over|handed over|point out|pointed out|come up with|come back|came back|comes back|coming back|go back|went back|get back|got back|give back|gave back|throw away|threw away|throw out|make up|go with|went with|going with|stick with|sticking with|stuck with|sticks with|stay with|staying with|get rid of|got rid of|do away with|look into|looking into|think about|thinking about|thinking of|lean toward|leaning toward|leaning towards|lean towards|decide on|decided on|settle on|settled on|settled for|opt for|opted for|agree to|agreed to|decide against|decided against|advise against|advised against|recommend against|recommended against|warn against|warned against|can not stand|could not stand|hold back|make sure|made sure|makes sure|be sure to|stay away from|steer clear of|keep away from|cut off|cut down|cut back|scale back|scaled back|speed up|slow down|slowed down|break down|broke down|go down|went down|go up|went up|goes up|goes down|take down|taken down|took down|take care of|in charge of|responsible for|accountable for|capable of|incapable of|free of|clear of|devoid of|lack of|absence of|in the absence of|allergic to|opposed to
right now|as of|as of now|time out|times out|timed out|per day|per week|per month|per year|per hour|per minute|per second|each day|each week|each month|each year|every day|every week|every month|every year|every hour|every minute
`

const grouped = new Map<string, string[][]>()
for (const phrase of PHRASES.split(/[\n|]/)) {
  const words = phrase.trim().split(' ')
  if (words.length < 2) continue
  const list = grouped.get(words[0]!) ?? []
  list.push(words)
  grouped.set(words[0]!, list)
}
for (const list of grouped.values()) list.sort((a, b) => b.length - a.length)

/** Phrases by their first word, the longest first. */
export const MULTIWORD: ReadonlyMap<string, readonly (readonly string[])[]> = grouped
